#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/launch.hpp"

/// One function per family of programs. Each appends what it can write for the question.
namespace whichgpu::launch {

/// A command as words: quoted where the shell needs it, one option a line.
class Command {
 public:
  explicit Command(std::string program) : text_(std::move(program)) {}
  Command& option(const char* name, std::string_view value);
  Command& option(const char* name, double value);
  Command& flag(const char* name);
  Command& variable(const char* name, std::string_view value);  ///< NAME=value before the program
  std::string text() const { return variables_ + text_ + "\n"; }

 private:
  std::string text_, variables_;
};

/// A word of a POSIX shell: as it is where it has only letters that no shell reads, else in single quotes. Control
/// characters are dropped: no name has them, and a terminal may obey them.
std::string shell_word(std::string_view text);
/// A double-quoted scalar that YAML, JSON and Python read alike.
std::string quoted_word(std::string_view text);
/// The model's name on the Hub, or `unknown`.
std::string repository_of(const Model& model, const char* unknown);
/// A whole number without exponent.
std::string whole(double value);

/// What every writer starts from.
struct Facts {
  const Question& q;
  const Estimate& e;
  std::string repository;   ///< the model's name on the Hub, "MODEL" where the catalog knows none
  double sequence_tokens;   ///< that one request may hold
  double sequences;         ///< at once, in each copy of the model
  int tensor, pipeline, data, expert;
  double memory_share;      ///< of a GPU's memory that the engine may take: all but what the question reserves
  std::string kv;           ///< the cache's format as the question says it; empty for 16 bits
  std::vector<LaunchNote> notes;  ///< that hold for every program
};

void write_ggml(const Facts& f, std::vector<Launch>& out);
void write_serving(const Facts& f, std::vector<Launch>& out);
void write_local(const Facts& f, std::vector<Launch>& out);
void write_training(const Facts& f, std::vector<Launch>& out);

}  // namespace whichgpu::launch
