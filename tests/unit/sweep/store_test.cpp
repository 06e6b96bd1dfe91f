#include "speder/sweep/store.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/io/sqlite_file.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using speder::testing::Folder;
namespace fs = std::filesystem;

namespace store_test {
namespace {

const ExperimentRecord kToy{
    .id = "toy", .config = "n = 3", .seed = ~0ULL, .planned = 4, .build = this_build()};

Run run(const std::string& cell, std::int64_t repetition, double value) {
  return {.key = {"toy", cell, repetition},
          .measures = {{"error", 64, value}, {"error", 128, value / 2}},
          .seconds = 0.5};
}

}  // namespace

TEST_CASE("ResultStore: what is appended is what is read, bit for bit", "[core][results]") {
  const Folder folder;
  const fs::path file = folder.path / "a'; DROP TABLE runs;--.db";
  const double inf = std::numeric_limits<double>::infinity();
  {
    ResultStore store = ResultStore::open(file);
    store.declare(kToy);
    store.declare(kToy);  // the same again: nothing happens
    store.append(run("n=2", 1, 1.0 / 3));
    store.append(run("n=10", 0, inf));
    Run failed = run("n=2", 0, std::nan(""));
    failed.failed = true;
    failed.error = "Robert'); DROP TABLE rows;--";
    store.append(failed);
    store.append({.key = {"toy", "n=3", 0}});  // no rows at all
  }
  const ResultStore store = ResultStore::read(file);
  CHECK(store.experiments() == std::vector<ExperimentRecord>{kToy});
  const std::vector<Run> runs = store.runs("toy");
  REQUIRE(runs.size() == 4);
  CHECK(runs[0].key == RunKey{"toy", "n=10", 0});
  CHECK(runs[0].measures[0].value == inf);
  CHECK(runs[1].failed);
  CHECK(runs[1].error == "Robert'); DROP TABLE rows;--");
  CHECK(std::isnan(runs[1].measures[0].value));
  CHECK(runs[2].measures == run("n=2", 1, 1.0 / 3).measures);
  CHECK(runs[3].measures.empty());
  CHECK(store.finished("toy").size() == 4);
  CHECK(store.finished("other").empty());
  CHECK(store.seconds("toy") == 1.5);
  int rows = 0;
  store.each_row([&](const ResultRow&) { ++rows; });
  CHECK(rows == 6);
}

TEST_CASE("ResultStore: content depends on neither order nor clock, and on every number",
          "[core][results]") {
  const Folder folder;
  const auto content = [&](const char* name, const std::vector<Run>& runs) {
    ResultStore store = ResultStore::open(folder.path / name);
    store.declare(kToy);
    for (const Run& r : runs) store.append(r);
    return store.content();
  };
  Run slow = run("n=1", 0, 1);
  slow.seconds = 100;
  const std::string first = content("a", {run("n=1", 0, 1), run("n=2", 0, 2)});
  CHECK(first == content("b", {run("n=2", 0, 2), slow}));
  CHECK(first != content("c", {run("n=2", 0, 2), run("n=1", 0, std::nextafter(1.0, 2.0))}));
  CHECK(first != content("d", {run("n=1", 0, 1)}));
  CHECK(digest(first) != digest(content("e", {})));
  CHECK(digest("") == "cbf29ce484222325");  // FNV-1a's offset basis
  CHECK(digest("a") == "af63dc4c8601ec8c");
}

TEST_CASE("ResultStore: a finished run is never overwritten", "[core][results]") {
  const Folder folder;
  ResultStore store = ResultStore::open(folder.path / "a.db");
  store.declare(kToy);
  store.append(run("n=1", 0, 1));
  CHECK_THROWS_AS(store.append(run("n=1", 0, 2)), InputError);
  CHECK(store.runs("toy")[0].measures[0].value == 1);
  Run twice = run("n=2", 0, 1);
  twice.measures.push_back(twice.measures[0]);  // a run that reports one number twice
  CHECK_THROWS_AS(store.append(twice), InputError);
  CHECK(store.finished("toy").size() == 1);  // nothing of it is kept
  Run undeclared = run("n=2", 0, 1);
  undeclared.key.experiment = "other";
  CHECK_THROWS_AS(store.append(undeclared), InputError);
}

TEST_CASE("ResultStore: rows of another build, seed or settings do not mix", "[core][results]") {
  const Folder folder;
  ResultStore store = ResultStore::open(folder.path / "a.db");
  store.declare(kToy);
  ExperimentRecord other = kToy;
  other.config = "n = 4";
  CHECK_THROWS_WITH(store.declare(other),
                    Catch::Contains("'toy' is already there, made with other"));
  other = kToy;
  other.seed = 3;
  CHECK_THROWS_WITH(store.declare(other), Catch::Contains("with seed 18446744073709551615, not 3"));
  other = kToy;
  other.build.commit = "abc";
  CHECK_THROWS_WITH(store.declare(other), Catch::Contains("by another build"));
}

TEST_CASE("ResultStore: one writer, any number of readers", "[core][results]") {
  const Folder folder;
  const fs::path file = folder.path / "a.db";
  {
    ResultStore store = ResultStore::open(file);
    store.declare(kToy);
    CHECK_THROWS_WITH(ResultStore::open(file),
                      file.string() +
                          ": store is in use by another sweep; wait for it or choose "
                          "another store");
    const ResultStore reader = ResultStore::read(file);
    store.append(run("n=1", 0, 1));
    CHECK(reader.finished("toy").size() == 1);
  }
  CHECK_NOTHROW(ResultStore::open(file));
  CHECK(!fs::exists(file.string() + ".lock"));
}

TEST_CASE("ResultStore: what is no store of ours is refused and left alone", "[core][results]") {
  const Folder folder;
  std::ofstream(folder.path / "text.db") << std::string(4096, 'x');
  CHECK_THROWS_WITH(ResultStore::open(folder.path / "text.db"),
                    Catch::Contains("not an SQLite file"));
  CHECK_THROWS_WITH(ResultStore::read(folder.path / "text.db"),
                    Catch::Contains("not an SQLite file"));
  CHECK_THROWS_WITH(ResultStore::read(folder.path / "none.db"), Catch::EndsWith("no such file"));
  CHECK_THROWS_WITH(ResultStore::read(folder.path), Catch::Contains("is a folder"));
  CHECK_THROWS_WITH(ResultStore::open(folder.path / "no" / "such.db"),
                    Catch::Contains("cannot be written"));
  const auto exec = [&](const char* name, const std::string& sql) {
    SQLite::Database((folder.path / name).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec(sql);
  };
  exec("other.db", "CREATE TABLE t(x)");
  CHECK_THROWS_WITH(ResultStore::open(folder.path / "other.db"), Catch::Contains("something else"));
  { ResultStore::open(folder.path / "newer.db"); }
  exec("newer.db", "PRAGMA user_version = 2");
  CHECK_THROWS_WITH(ResultStore::open(folder.path / "newer.db"),
                    Catch::Contains("made by a newer speder (schema 2, this one reads schema 1)"));
  CHECK_THROWS_WITH(ResultStore::read(folder.path / "newer.db"), Catch::Contains("a newer speder"));
}

TEST_CASE("ResultStore: a full disk is one clear error and the finished runs stay",
          "[core][results]") {
  const Folder folder;
  const fs::path file = folder.path / "a.db";
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  int kept = 0;
  {
    ResultStore store = ResultStore::open(file);
    store.declare(kToy);
    rlimit tight = before;
    tight.rlim_cur = 200'000;  // no file may grow past this
    setrlimit(RLIMIT_FSIZE, &tight);
    std::string message;
    try {
      for (; kept < 10'000; ++kept) store.append(run("n=1", kept, kept));
    } catch (const InputError& e) {
      message = e.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK_THAT(message, Catch::Contains("disk"));
    CHECK_THAT(message, Catch::Contains("finished runs are kept"));
  }
  ResultStore store = ResultStore::open(file);
  CHECK(kept > 1);
  CHECK(static_cast<int>(store.finished("toy").size()) == kept);
  CHECK_NOTHROW(store.append(run("n=1", kept, kept)));
}

TEST_CASE("ResultStore: a closed store can be read where nothing may be written",
          "[core][results]") {
  const Folder folder;
  const fs::path file = folder.path / "a 100%?#.db";
  {
    ResultStore store = ResultStore::open(file);
    store.declare(kToy);
    store.append(run("n=1", 0, 1));
  }
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  // Root may write anywhere: read as nobody, in a process of its own.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0) {
      fs::permissions(folder.path, fs::perms::all & ~fs::perms::group_write &
                                       ~fs::perms::others_write & ~fs::perms::owner_write);
      if (::setuid(65534) != 0) ::_exit(3);
    }
    try {
      const bool readable = ResultStore::read(file).finished("toy").size() == 1;
      bool refused = false;
      try {
        (void)ResultStore::open(file);
      } catch (const InputError&) {
        refused = true;
      }
      ::_exit(readable && refused ? 0 : 1);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("ResultStore: a file whose making was cut short says so, and is filled by the next start",
          "[core][results]") {
  const Folder folder;
  const auto file = folder.path / "cut.db";
  std::ofstream(file).close();
  CHECK_THROWS_WITH(ResultStore::read(file), Catch::Contains("is empty"));
  { const ResultStore store = ResultStore::open(file); }
  CHECK(ResultStore::read(file).experiments().empty());
}

TEST_CASE("ResultStore: what was changed behind its back is refused by name", "[core][results]") {
  const Folder folder;
  const auto after = [&](const std::string& sql) {
    const fs::path file = folder.path / "a.db";
    fs::remove(file);
    {
      ResultStore store = ResultStore::open(file);
      store.declare(kToy);
      store.append(run("n=1", 0, 1));
      store.append(run("n=1", 1, 1));
    }
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(sql);
    return ResultStore::read(file);
  };
  CHECK(after("UPDATE rows SET value = 1 WHERE n = 64").runs("toy").size() == 2);  // what it was
  const auto damaged = [](const std::string& subject) {
    return Catch::Contains(": is damaged: " + subject + " is not as it was written");
  };
  for (const char* sql : {"UPDATE rows SET value = 1.0000000000000002 WHERE run = 2 AND n = 64",
                          "UPDATE rows SET n = 65 WHERE run = 2 AND n = 64",
                          "DELETE FROM rows WHERE run = 2 AND n = 64",
                          "UPDATE timing SET seconds = 0.25 WHERE run = 2",
                          "UPDATE runs SET status = 'failed' WHERE id = 2",
                          "DELETE FROM rows WHERE run = 2; DELETE FROM timing WHERE run = 2; "
                          "DELETE FROM runs WHERE id = 2"}) {
    CAPTURE(sql);
    CHECK_THROWS_WITH(after(sql).runs("toy"), damaged("run toy [n=1] 1"));
  }
  for (const char* sql : {"UPDATE manifest SET planned = 5", "UPDATE manifest SET seed = '1'"}) {
    CAPTURE(sql);
    CHECK_THROWS_WITH(after(sql).experiments(), damaged("experiment toy"));
  }
  CHECK_THROWS_WITH(
      after("DELETE FROM rows; DELETE FROM timing; DELETE FROM runs; DELETE FROM manifest")
          .experiments(),
      damaged("experiment toy"));
}

TEST_CASE("ResultStore: what a killed writer left half done is taken back by the reader",
          "[core][results]") {
  const Folder folder;
  const fs::path whole = folder.path / "whole.db", killed = folder.path / "killed.db";
  {
    ResultStore store = ResultStore::open(whole);
    store.declare(kToy);
    store.append(run("n=2", 0, 0.25));
  }
  {  // as a stop in the middle of the first tables: a rollback journal beside changed pages
    SQLite::Database db(whole.string(), SQLite::OPEN_READWRITE);
    db.exec("PRAGMA journal_mode = DELETE");
    db.exec("PRAGMA cache_size = 1");
    SQLite::Transaction transaction(db);
    for (int i = 0; i < 2000; ++i) {
      db.exec(fmt::format("INSERT INTO rows VALUES (1, 'half done', {}, 0)", i));
    }
    fs::copy_file(whole, killed);
    fs::copy_file(whole.string() + "-journal", killed.string() + "-journal");
  }
  const std::vector<Run> runs = ResultStore::read(killed).runs("toy");
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].measures.size() == 2);
  CHECK_FALSE(fs::exists(killed.string() + "-journal"));
}

TEST_CASE("ResultStore: one lock, whatever link leads to the store", "[core][results]") {
  const Folder folder;
  const ResultStore held = ResultStore::open(folder.path / "a.db");
  fs::create_symlink("a.db", folder.path / "b.db");
  CHECK_THROWS_WITH(ResultStore::open(folder.path / "b.db"), Catch::Contains("in use"));
}

TEST_CASE("ResultStore: views, triggers and pipes are refused", "[core][results]") {
  const Folder folder;
  const fs::path file = folder.path / "a.db";
  { const ResultStore made = ResultStore::open(file); }
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "DROP TABLE rows; CREATE VIEW rows AS WITH RECURSIVE c(run) AS "
          "(SELECT 1 UNION ALL SELECT run + 1 FROM c) SELECT run, 'm' metric, 0 n, 0.0 value FROM "
          "c");
  CHECK_THROWS_WITH(ResultStore::read(file), Catch::Contains("is not a result store"));
  CHECK_THROWS_WITH(ResultStore::open(file), Catch::Contains("is not a result store"));
  // A constraint is a statement too, and so is an index on an expression.
  for (const char* sql : {"CREATE INDEX slow ON runs(length(cell))",
                          "ALTER TABLE timing ADD COLUMN x INTEGER CHECK (x < 3)"}) {
    const fs::path other = folder.path / "b.db";
    fs::remove(other);
    { const ResultStore made = ResultStore::open(other); }
    CHECK_NOTHROW(ResultStore::read(other));
    SQLite::Database(other.string(), SQLite::OPEN_READWRITE).exec(sql);
    CHECK_THROWS_WITH(ResultStore::read(other), Catch::Contains("is not a result store"));
  }
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(ResultStore::read(folder.path / "pipe"), Catch::Contains("regular file"));
  const fs::path deep = folder.path / std::string(250, 'x') / std::string(250, 'y');
  fs::create_directories(deep);
  CHECK_THROWS_WITH(ResultStore::open(deep / "a.db"), Catch::Contains("at most 500 bytes"));
}

}  // namespace store_test
