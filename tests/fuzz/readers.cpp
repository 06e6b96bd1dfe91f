#include "tests/fuzz/readers.hpp"

#include <string>

#include "speder/experiments/audit/objects/case_file.hpp"
#include "speder/experiments/learn/data_file.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/experiments/worst/files.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/file/class_file.hpp"
#include "speder/mdp/file/dense.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/plots/report/audit.hpp"
#include "speder/sweep/store.hpp"
#include "tests/fuzz/file.hpp"

namespace speder::fuzz {
namespace {

bool mdp(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)conditions(load_mdp(file.path())); });
}

bool dense_as(Bytes bytes, const char* ending) {
  const File file(bytes, ending);
  return accepted([&] { (void)factorise(read_dense(file.path()), {}); });
}

bool dense(Bytes bytes) { return dense_as(bytes, ".csv"); }
bool dense_h5(Bytes bytes) { return dense_as(bytes, ".h5"); }
bool numpy(Bytes bytes) {  // an archive of arrays starts with PK, an array alone does not
  return dense_as(bytes, !bytes.empty() && bytes[0] == 'P' ? ".npz" : ".npy");
}

bool worst_instance(Bytes bytes) {
  const File file(bytes, ".json");
  return accepted([&] {
    const worst::SavedInstance saved = worst::load_instance(file.path());
    (void)conditions(worst::make_mdp(saved.setting, saved.genes));
  });
}

bool candidate_class(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)load_class(file.path()).candidates.kernel(0); });
}

bool data_set(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)tally(load_data(file.path()).data.steps, 0, 1); });
}

bool suite(Bytes bytes) {
  const std::string text(bytes.begin(), bytes.end());
  const auto sized = [&](const char* size) {
    return accepted([&] { (void)read_suite(ConfigTable::parse(text, "suite.toml"), size); });
  };
  const bool quick = sized("quick");
  return sized("full") || quick;
}

bool audit_case(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)audit::replay(file.path()); });
}

bool audit_list(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)read_audit(file.path()); });
}

bool store(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)ResultStore::read(file.path()).content(); });
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> table = [] {
    std::vector<Reader> all = {{"mdp", mdp},
                               {"dense", dense},
                               {"dense_h5", dense_h5},
                               {"numpy", numpy},
                               {"worst", worst_instance},
                               {"suite", suite},
                               {"audit", audit_case},
                               {"findings", audit_list},
                               {"store", store},
                               {"class", candidate_class},
                               {"data", data_set}};
    all.insert(all.end(), deep_readers().begin(), deep_readers().end());
    return all;
  }();
  return table;
}

}  // namespace speder::fuzz
