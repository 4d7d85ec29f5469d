// SPDX-License-Identifier: Apache-2.0
//
// Status and Result<T>: the only error vocabulary of the library. The library never throws, prints,
// aborts or reads the environment; what can fail returns one of these, and the message names the
// thing, the place and what is allowed.
#ifndef EXACTCAST_STATUS_H_
#define EXACTCAST_STATUS_H_

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace exactcast {

// The values are the exit statuses of the command.
enum class StatusCode : int {
  kOk = 0,
  kUsage = 2,        // unknown name, bad option or combination
  kBadInput = 3,     // a file or value that cannot be read
  kUnsupported = 4,  // a pair, mode or form that the chosen profile does not have
  kNotWritten = 5,   // an output that could not be written
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] bool ok() const { return code_ == StatusCode::kOk; }
  [[nodiscard]] StatusCode code() const { return code_; }
  // One line without a final newline; empty when ok().
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status UsageError(std::string message) { return {StatusCode::kUsage, std::move(message)}; }
inline Status BadInput(std::string message) { return {StatusCode::kBadInput, std::move(message)}; }
inline Status Unsupported(std::string message) {
  return {StatusCode::kUnsupported, std::move(message)};
}
inline Status NotWritten(std::string message) {
  return {StatusCode::kNotWritten, std::move(message)};
}

// A value, or the Status that says why there is none. Reading the value of a failed Result is a
// programming error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    assert(!status_.ok());
  }

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status& status() const { return status_; }

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace exactcast

#endif  // EXACTCAST_STATUS_H_
