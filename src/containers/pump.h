// SPDX-License-Identifier: Apache-2.0
//
// The elements of an input through a plan into an output, a block at a time, and what is to be said
// of them: counts, the first that was lost, a warning. Headers are cast_file.cc's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_PUMP_H_
#define EXACTCAST_SRC_CONTAINERS_PUMP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/container.h"
#include "exactcast/status.h"
#include "src/containers/blocks.h"
#include "src/containers/byte_sink.h"
#include "src/containers/container_row.h"
#include "src/containers/element_reader.h"
#include "src/measurement.h"

namespace exactcast {

// Whether the request stops at an element that may become anything.
bool RefusesUnpredictable(const FileCastRequest& request);
// kUsage: what the request refuses or wants would be found among counts, which it leaves out.
Status CheckCounts(const FileCastRequest& request);

// The first element that overflowed, or was a NaN and did not stay one.
class FirstLoss {
 public:
  explicit FirstLoss(const Plan& plan) : plan_(plan) {}

  [[nodiscard]] std::uint64_t index() const { return index_; }
  // Element `index` is the one at `place` of `data`.
  void Note(std::uint64_t index, const std::byte* data, Packing packing, std::size_t place);
  // What element it is, and why --strict refuses it, or --nan-to-int refuse.
  [[nodiscard]] Status Refusal(const InputLayout& layout, bool as_unpredictable) const;

 private:
  static constexpr std::size_t kLargestElement = 16;  // bytes
  using Element = std::array<std::byte, kLargestElement>;

  [[nodiscard]] std::uint64_t LostPart() const;

  const Plan& plan_;
  std::uint64_t index_ = kNoIndex;
  Element element_ = {};  // as an array without packing holds it
};

struct PumpOptions {
  std::string input_name;             // in messages
  std::string output_name;            // in that of a stop
  bool strict = false;                // stop at the first loss
  bool refuse_unpredictable = false;  // stop at the first element that may become anything
  int threads = 0;
  bool counts = true;                  // what either of the two stops at is among them
  bool pairs_apart = false;            // the output is as InputLayout::pairs_apart says
  Measurement* measurement = nullptr;  // takes all elements; not with pairs_apart
  Progress progress = nullptr;
};

class Pump {
 public:
  // What is referred to outlives the pump.
  Pump(const PumpOptions& options, const Plan& plan, const InputLayout& layout,
       ElementReader* reader, ByteSink* output)
      : options_(options),
        plan_(plan),
        layout_(layout),
        reader_(*reader),
        output_(*output),
        loss_(plan) {}

  // Moves all elements. kBadInput at something that the options refuse.
  Status Run();

  // It failed at an element that the options refuse, and would do so again.
  [[nodiscard]] bool refused() const { return Stops(); }
  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  // About bytes of bool that are neither 0 nor 1; empty: none.
  [[nodiscard]] const std::string& bool_warning() const { return bool_warning_; }

 private:
  struct Buffers {
    std::vector<std::byte> source;
    std::vector<std::byte> target;
  };

  Status RunInAnyOrder();
  Status MoveBlock(std::uint64_t first, std::size_t count, Buffers* buffers);
  Status RunInOrder();
  Status RunPairsApart();
  Status ConvertPairs(std::uint64_t first, std::uint64_t slab, std::size_t width, std::size_t many);
  Status ConvertAt(std::uint64_t first, std::size_t count, std::byte* target);
  void Convert(std::uint64_t first, std::size_t count, std::byte* target);
  void Measure(std::uint64_t first, std::size_t count, const std::byte* source,
               const std::byte* target);
  void Note(std::uint64_t first, std::size_t count, const std::byte* source, const Counts& counts);
  // Tells of `count` elements done; false: stop.
  [[nodiscard]] bool Report(std::size_t count) const;
  // An element was met that the options refuse.
  [[nodiscard]] bool Stops() const { return loss_.index() != kNoIndex; }
  // The index of the first element that the options refuse.
  [[nodiscard]] std::uint64_t FirstRefused(const Counts& counts) const;
  void CheckBools(std::uint64_t first, std::size_t count, const std::byte* source);
  [[nodiscard]] Status OfInput(const Status& status) const;

  const PumpOptions& options_;
  const Plan& plan_;
  const InputLayout& layout_;
  ElementReader& reader_;
  ByteSink& output_;
  std::vector<std::byte> source_;
  std::vector<std::byte> target_;
  std::uint64_t elements_ = 0;
  Counts counts_;
  FirstLoss loss_;
  std::string bool_warning_;
  std::uint64_t odd_bool_ = kNoIndex;
  std::mutex notes_;  // of counts_, loss_, bool_warning_ and odd_bool_ while threads run
};

// `size` bytes from `begin` on of a file as they are, in large blocks. kBadInput where they end
// too soon; messages about the input begin with `input_name`.
Status CopyBytes(InputFile* input, std::uint64_t begin, std::uint64_t size,
                 const PumpOptions& options, ByteSink* output);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_PUMP_H_
