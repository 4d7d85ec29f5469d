// SPDX-License-Identifier: Apache-2.0
//
// The three forms of a report.
#include "bench/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace exactcast::bench {
namespace {

using nlohmann::ordered_json;

// 65536 -> "64Ki"
std::string SizeText(std::size_t n) {
  if (n % (1 << 20) == 0) return fmt::format("{}Mi", n >> 20);
  if (n % (1 << 10) == 0) return fmt::format("{}Ki", n >> 10);
  return fmt::format("{}", n);
}

std::string Clock(const Session& session) {
  return session.threads == 1 ? "thread CPU time" : "wall time";
}

bool Misses(const Record& record, const Entry& entry) {
  return record.goal > 0 && entry.timing.ratio > record.goal;
}

// What stands behind an entry's figures.
std::string Remark(const Record& record, const Entry& entry) {
  std::string text = entry.detail;
  if (entry.role == Role::kOurs && record.goal > 0) {
    text += fmt::format("; goal {}: {}", record.goal, Misses(record, entry) ? "MISSED" : "reached");
  }
  if (entry.same >= 0) {
    text += entry.same == 1 ? "; the same bits"
                            : fmt::format("; {:.2f} % the same bits", 100 * entry.same);
  }
  return text;
}

const Entry* BestPeer(const Record& record) {
  const Entry* best = nullptr;
  for (const Entry& entry : record.entries) {
    if (entry.role != Role::kPeer || entry.same < 1) continue;
    if (best == nullptr || entry.timing.median < best->timing.median) best = &entry;
  }
  return best;
}

const Entry* Copy(const Record& record) {
  for (const Entry& entry : record.entries) {
    if (entry.role == Role::kCopy) return &entry;
  }
  return nullptr;
}

const char* RoleName(Role role) {
  switch (role) {
    case Role::kBound:
      return "bound";
    case Role::kOurs:
      return "exactcast";
    case Role::kCopy:
      return "memcpy";
    case Role::kPeer:
      return "peer";
  }
  return "";
}

ordered_json JsonEntry(const Session& session, const Record& record, const Entry& entry) {
  const Subject& s = record.subject;
  ordered_json j = {
      {"pair", PairName(s.row)},
      {"mode", s.mode},
      {"overflow", s.overflow},
      {"packed", s.row.packed},
      {"data", Name(record.data)},
      {"n", record.n},
      {"threads", record.threads},
      {"role", RoleName(entry.role)},
      {"name", entry.name},
      {entry.role == Role::kOurs ? "kernel" : "detail", entry.detail},
      {"ns_per_element", entry.timing.median},
      {"gb_per_s", Speed(entry.bytes, entry.timing.median)},
      {"bound_gb_per_s", Speed(record.bytes, record.bound)},
      {"ratio", entry.timing.ratio},
      {"min_ns_per_element", entry.timing.least},
      {"spread", entry.timing.spread},
      {"rounds", record.rounds},
      {"cpu_target", session.cpu_target},
      {"compiler", session.compiler},
  };
  if (entry.role == Role::kOurs && record.goal > 0) {
    j["goal"] = record.goal;
    j["reached"] = !Misses(record, entry);
  }
  if (entry.same >= 0) j["same_bits"] = entry.same;
  return j;
}

}  // namespace

std::string TextHead(const Session& session) {
  std::string text = fmt::format(
      "exactcast {}, {}, {}\nCPU target {}; {} {}, pinned to core {}; {}; pages of 2 MiB: {}\n",
      session.version, session.compiler, session.cpu, session.cpu_target, session.threads,
      session.threads == 1 ? "thread" : "threads", fmt::join(session.cores, ", "), Clock(session),
      session.large_pages ? "yes" : "no");
  for (const auto& [name, version] : session.peers) {
    text += fmt::format("peer {}: {}\n", name, version);
  }
  if (session.threads > 1) text += "peers run on one thread only, so they are left out here\n";
  return text +
         "GB/s counts bytes read and written; ratio is to the better bound of the same round\n";
}

std::string TextRow(const Record& record) {
  std::string text = fmt::format(
      "\n{}  n {}, {}, {} rounds, bound {:.1f} GB/s\n{:<20}{:>10}{:>9}{:>8}{:>9}{:>8}\n",
      Key(record.subject), SizeText(record.n), Name(record.data), record.rounds,
      Speed(record.bytes, record.bound), "", "ns/elem", "GB/s", "ratio", "min ns", "spread");
  for (const Entry& entry : record.entries) {
    const Timing& t = entry.timing;
    text += fmt::format("{:<20}{:>10.4f}{:>9.2f}{:>8.2f}{:>9.4f}{:>6.1f} %  {}\n", entry.name,
                        t.median, Speed(entry.bytes, t.median), t.ratio, t.least, 100 * t.spread,
                        Remark(record, entry));
  }
  return text;
}

std::string MarkdownHead(const Session& session) {
  std::string peers;
  for (const auto& [name, version] : session.peers) {
    peers += fmt::format("{}{} {}", peers.empty() ? "" : "; ", name, version);
  }
  return fmt::format(
      "{}, CPU target {}, {}, {} {}, {}. Peers: {}.\n\n"
      "| pair | mode | data | n | ns/element | GB/s | bound GB/s | ratio | goal | with counts "
      "| memcpy GB/s | best exact peer, its ratio | kernel |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      session.cpu, session.cpu_target, session.compiler, session.threads,
      session.threads == 1 ? "thread" : "threads", Clock(session), peers);
}

std::string MarkdownRow(const Record& record) {
  const Entry* counted = Ours(record, true);
  const Entry* entry = Ours(record, false) != nullptr ? Ours(record, false) : counted;
  if (entry == nullptr) return "";
  const Entry* peer = BestPeer(record);
  const Entry* copy = Copy(record);
  const Subject& s = record.subject;
  return fmt::format(
      "| {}{} | {} {} | {} | {} | {:.3f} | {:.1f} | {:.1f} | {:.2f} | {}{} | {} | {:.1f} | {} | {} "
      "|\n",
      PairName(s.row), s.row.packed ? " packed" : "", s.mode, s.overflow, Name(record.data),
      SizeText(record.n), entry->timing.median, Speed(record.bytes, entry->timing.median),
      Speed(record.bytes, record.bound), entry->timing.ratio,
      record.goal > 0 ? fmt::format("{}", record.goal) : "",
      Misses(record, *entry) ? " (missed)" : "",
      counted != nullptr ? fmt::format("{:.2f}", counted->timing.ratio) : "",
      Speed(copy->bytes, copy->timing.median),
      peer == nullptr
          ? "none"
          : fmt::format("{}{}, {:.2f}", peer->name,
                        peer->detail == "via Python" ? " via Python" : "", peer->timing.ratio),
      entry->detail);
}

std::string JsonReport(const Session& session, const std::vector<Record>& records) {
  ordered_json peers = ordered_json::object();
  for (const auto& [name, version] : session.peers) peers[name] = version;
  ordered_json rows = ordered_json::array();
  for (const Record& record : records) {
    for (const Entry& entry : record.entries) rows.push_back(JsonEntry(session, record, entry));
  }
  const ordered_json report = {{"version", session.version},
                               {"cpu", session.cpu},
                               {"cpu_target", session.cpu_target},
                               {"compiler", session.compiler},
                               {"cores", session.cores},
                               {"threads", session.threads},
                               {"clock", Clock(session)},
                               {"pages_of_2_mib", session.large_pages},
                               {"peers", peers},
                               {"rows", rows}};
  return report.dump(2) + "\n";
}

}  // namespace exactcast::bench
