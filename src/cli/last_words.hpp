#pragma once

namespace speder::cli {

/// From here on a program that ends because memory ran out says so, with exit code 2, wherever that happens: where
/// an exception may not pass, in a thread, or in a library's own check.
void speak_last_words(const char* program);

/// The line itself and the exit code 2. Takes no memory, since there is none.
int lacks_memory(const char* program);

}  // namespace speder::cli
