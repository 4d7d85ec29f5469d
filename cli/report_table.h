// SPDX-License-Identifier: Apache-2.0
//
// Tables of a report's page. Cells hold what they are sorted by beside what is read.
#ifndef EXACTCAST_CLI_REPORT_TABLE_H_
#define EXACTCAST_CLI_REPORT_TABLE_H_

#include <string>
#include <vector>

#include "cli/report.h"

namespace exactcast::cli {

std::string LossTable(const std::vector<ReportRow>& rows);       // of casts
std::string InventoryTable(const std::vector<ReportRow>& rows);  // of tensors as they are
std::string TargetTable(const std::vector<ReportTotal>& totals);
std::string KeptTable(const std::vector<KeptTensor>& kept);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_REPORT_TABLE_H_
