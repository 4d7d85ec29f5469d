// SPDX-License-Identifier: Apache-2.0
//
// Reading NumPy's .npz archives: zip files whose members are .npy files, stored or deflated. What
// does not begin like a .npy file is a member that is no array. Every member that is read is read
// to its end, so that its CRC is checked.
#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <climits>
#include <map>

#include "src/containers/descriptor.h"
#include "src/containers/member_name.h"
#include "src/containers/tensor_input.h"
#include "src/containers/zip_io.h"

namespace exactcast {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kEmptyArchive("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
constexpr uLong kEncrypted = 1;  // flag bit
constexpr uLong kStored = 0;
constexpr uLong kDeflated = 8;
// More than this behind an array is no slip of a writer any more.
constexpr std::uint64_t kMostTrailing = std::uint64_t{1} << 20;

struct Member {
  std::string name;
  unz64_file_pos position = {};
  std::uint64_t bytes = 0;  // inflated
};

std::string OfMember(std::string_view name, std::string_view message) {
  return fmt::format("member {}: {}", Printable(name), message);
}

// The bytes of the member that is open.
class MemberStream : public ByteStream {
 public:
  MemberStream(unzFile archive, const Member& member, const ZipReadIo& io)
      : archive_(archive), member_(member), io_(io) {}

  Result<std::size_t> Read(std::byte* data, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(size - done, INT_MAX));
      const int got = unzReadCurrentFile(archive_, data + done, wanted);
      if (got < 0) {
        if (!io_.status().ok()) return io_.status();
        return BadInput(OfMember(member_.name, "its compressed data are damaged"));
      }
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    read_ += done;
    if (done < size && read_ < member_.bytes) {
      if (!io_.status().ok()) return io_.status();
      return BadInput(
          OfMember(member_.name, fmt::format("expected {} bytes, found {}", member_.bytes, read_)));
    }
    return done;
  }
  [[nodiscard]] std::uint64_t left() const { return member_.bytes - read_; }

 private:
  unzFile archive_;
  const Member& member_;
  const ZipReadIo& io_;
  std::uint64_t read_ = 0;
};

class NpzInput : public TensorInput {
 public:
  explicit NpzInput(InputFile file) : file_(std::move(file)), io_(&file_) {
    file_bytes_ = file_.size();
  }
  ~NpzInput() override {
    if (archive_ != nullptr) unzClose(archive_);
  }

  Status Read(const ReadRequest& request) {
    if (!file_.regular()) return BadInput("is no regular file; .npz files are read anywhere");
    if (Status status = OpenArchive(); !status.ok()) return status;
    if (Status status = ListMembers(); !status.ok()) return status;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (Status status = ListTensor(i, request); !status.ok()) return status;
    }
    return CheckNames();
  }

  Result<InputFile*> Open(std::size_t tensor) override {
    Result<InputFile*> member = OpenMember(tensor);
    if (!member.ok()) return member;
    // A stream is read from where its data begin.
    std::vector<std::byte> header(static_cast<std::size_t>(tensors_[tensor].layout.begin));
    const Result<std::size_t> got = (*member)->Read(header.data(), header.size());
    if (!got.ok()) return got.status();
    return member;
  }

  Result<InputFile*> OpenMember(std::size_t tensor) override {
    if (Status status = Close(); !status.ok()) return status;
    if (Status status = StartMember(members_[tensor]); !status.ok()) return status;
    auto stream = std::make_unique<MemberStream>(archive_, members_[tensor], io_);
    stream_ = stream.get();
    current_ = tensor;
    open_.emplace(InputFile::FromStream(std::move(stream)));
    return &*open_;
  }

  Status Finish() override {
    std::vector<std::byte> rest(static_cast<std::size_t>(std::min(stream_->left(), kMostTrailing)));
    while (stream_->left() > 0) {
      const Result<std::size_t> got = stream_->Read(rest.data(), rest.size());
      if (!got.ok()) return got.status();
    }
    return Close();
  }

  [[nodiscard]] std::optional<struct stat> Facts() const override { return file_.Facts(); }

 private:
  Status OpenArchive() {
    const Result<std::string> start = Start();
    if (!start.ok()) return start.status();
    if (!start->starts_with("PK\3\4") && !start->starts_with("PK\5\6")) {
      return BadInput(fmt::format("not a .npz file: it does not begin like a zip archive{}",
                                  LikelyKind(*start)));
    }
    // minizip takes an end at byte 0 for none.
    if (*start == kEmptyArchive) return {};
    zlib_filefunc64_def functions = io_.Functions();
    archive_ = unzOpen2_64("", &functions);
    if (archive_ != nullptr) return {};
    if (!io_.status().ok()) return io_.status();
    return BadInput("its list of members, at the end, is missing or damaged; is it complete?");
  }

  Result<std::string> Start() {
    std::string start(64, '\0');
    const Result<std::size_t> got =
        file_.ReadAt(0, reinterpret_cast<std::byte*>(start.data()), start.size());
    if (!got.ok()) return got.status();
    start.resize(*got);
    return start;
  }

  Status ListMembers() {
    if (archive_ == nullptr) return {};
    unz_global_info64 all = {};
    if (unzGetGlobalInfo64(archive_, &all) != UNZ_OK) return Damaged();
    for (std::uint64_t i = 0; i < all.number_entry; ++i) {
      if ((i == 0 ? unzGoToFirstFile(archive_) : unzGoToNextFile(archive_)) != UNZ_OK) {
        return Damaged();
      }
      if (Status status = ListMember(); !status.ok()) return status;
    }
    return {};
  }

  Status ListMember() {
    constexpr std::size_t kLongestName = 65535;
    std::string name(kLongestName + 1, '\0');
    unz_file_info64 info = {};
    if (unzGetCurrentFileInfo64(archive_, &info, name.data(), name.size(), nullptr, 0, nullptr,
                                0) != UNZ_OK) {
      return Damaged();
    }
    name.resize(info.size_filename);
    if (Status status = CheckMemberName(name); !status.ok()) return status;
    if ((info.flag & kEncrypted) != 0) {
      return BadInput(OfMember(name, "it is encrypted; save the arrays without a password"));
    }
    if (info.compression_method != kStored && info.compression_method != kDeflated) {
      return BadInput(
          OfMember(name, fmt::format("compression method {} is not read; stored (0) and "
                                     "deflated (8) members are",
                                     info.compression_method)));
    }
    Member member = {.name = std::move(name), .position = {}, .bytes = info.uncompressed_size};
    member.name.shrink_to_fit();
    if (unzGetFilePos64(archive_, &member.position) != UNZ_OK) return Damaged();
    deflated_.push_back(info.compression_method == kDeflated);
    members_.push_back(std::move(member));
    return {};
  }

  // From the member's own header.
  Status ListTensor(std::size_t i, const ReadRequest& request) {
    const Member& member = members_[i];
    StoredTensor& tensor = tensors_.emplace_back();
    tensor.name = member.name;
    if (tensor.name.ends_with(".npy")) tensor.name.resize(tensor.name.size() - 4);
    tensor.member = member.name;
    tensor.deflated = deflated_[i];
    tensor.member_bytes = member.bytes;
    Result<InputFile*> file = OpenMember(i);
    if (!file.ok()) return file.status();
    const Result<std::string> start = (*file)->Peek(kMagic.size());
    if (!start.ok()) return start.status();
    if (*start != kMagic) {
      tensor.is_array = false;
      tensor.name = member.name;
      tensor.layout.obstacle = "it is no array";
      return {};
    }
    ReadRequest plain = request;
    plain.from.reset();
    Status status = ReadLayout(*file, plain, &tensor);
    if (status.ok() && !tensor.layout.obstacle.empty() && request.from) {
      file = OpenMember(i);
      if (!file.ok()) return file.status();
      status = ReadLayout(*file, request, &tensor);
    }
    return status.ok() ? CheckSize(member, &tensor)
                       : Status(status.code(), OfMember(member.name, status.message()));
  }

  static Status ReadLayout(InputFile* file, const ReadRequest& request, StoredTensor* tensor) {
    ReadRequest listing = request;
    listing.list_obstacles = true;
    Result<InputLayout> layout = kNpyContainer.read(*file, listing);
    if (!layout.ok()) return layout.status();
    tensor->layout = std::move(*layout);
    return {};
  }

  // The array against the member, which may not inflate to much more than its header announces.
  Status CheckSize(const Member& member, StoredTensor* tensor) {
    if (!tensor->layout.obstacle.empty()) return {};
    const InputLayout& layout = tensor->layout;
    tensor->type = GetFormat(layout.format).name;
    tensor->bytes = ArrayBytes(GetFormat(layout.format), layout.packing,
                               static_cast<std::size_t>(*layout.elements));
    const std::uint64_t found = member.bytes - std::min(member.bytes, layout.begin);
    if (found < tensor->bytes) {
      return BadInput(OfMember(
          member.name, fmt::format("expected {} bytes of data, found {}", tensor->bytes, found)));
    }
    const std::uint64_t more = found - tensor->bytes;
    if (more > kMostTrailing) {
      return BadInput(OfMember(
          member.name, fmt::format("its header announces {} bytes of data, and it would inflate to "
                                   "{}; that is no array of NumPy's",
                                   tensor->bytes, found)));
    }
    if (more > 0) {
      warnings_.push_back(
          OfMember(member.name, fmt::format("{} bytes after the data are ignored", more)));
    }
    return {};
  }

  Status CheckNames() {
    std::map<std::string_view, std::string_view> seen;  // key to member
    for (const StoredTensor& tensor : tensors_) {
      const auto [before, is_new] = seen.emplace(tensor.name, tensor.member);
      if (is_new) continue;
      return BadInput(
          fmt::format("two members, {} and {}, are both called '{}'; which is meant cannot be told",
                      Printable(before->second), Printable(tensor.member), Printable(tensor.name)));
    }
    return Close();
  }

  Status StartMember(const Member& member) {
    unz64_file_pos position = member.position;
    if (unzGoToFilePos64(archive_, &position) != UNZ_OK) return Damaged();
    if (unzOpenCurrentFile(archive_) == UNZ_OK) return {};
    if (!io_.status().ok()) return io_.status();
    return BadInput(
        OfMember(member.name, "the archive's list and the member's own header do not agree"));
  }

  Status Close() {
    if (!open_) return {};
    const bool whole = stream_->left() == 0;
    open_.reset();
    const int error = unzCloseCurrentFile(archive_);
    if (error != UNZ_CRCERROR || !whole) return {};
    return BadInput(
        OfMember(members_[current_].name, "its checksum (CRC-32) is wrong: the data are damaged"));
  }

  Status Damaged() const {
    if (!io_.status().ok()) return io_.status();
    return BadInput("its list of members is damaged");
  }

  InputFile file_;
  ZipReadIo io_;
  unzFile archive_ = nullptr;
  std::vector<Member> members_;
  std::vector<bool> deflated_;
  MemberStream* stream_ = nullptr;  // owned by open_
  std::size_t current_ = 0;
  std::optional<InputFile> open_;
};

}  // namespace

Result<std::unique_ptr<TensorInput>> OpenNpz(InputFile file, const ReadRequest& request) {
  auto input = std::make_unique<NpzInput>(std::move(file));
  if (Status status = input->Read(request); !status.ok()) return status;
  return std::unique_ptr<TensorInput>(std::move(input));
}

}  // namespace exactcast
