// Splits CSV text (RFC 4180) into records: quoted fields with doubled quotes, commas and line
// breaks inside, LF and CRLF line ends, an optional UTF-8 byte order mark.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace vestige {

struct CsvField {
  std::string_view text;  ///< without quotes; an unquoted field also without blanks around it
  bool quoted = false;
};

class CsvReader {
 public:
  /// `source` names the text in errors. Both must outlive the reader.
  CsvReader(std::string_view text, std::string_view source);

  /// Reads the next record; false at the end. Blank lines at the end of the text are not records;
  /// elsewhere a blank line is a record of one empty field. The fields are valid until the next
  /// call. InputError, with the line, if a quote is not closed or text follows a closing quote.
  bool next();

  const std::vector<CsvField>& fields() const { return fields_; }
  /// The fields' texts, which outlive the reader.
  std::vector<std::string> texts() const;
  /// True if the record is a blank line.
  bool blank() const;
  /// The line on which the record begins, from 1.
  std::size_t line() const { return line_; }

 private:
  void read_field();
  void read_quoted();

  std::string_view rest_;
  std::string_view source_;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::vector<CsvField> fields_;
  std::deque<std::string> unescaped_;  ///< texts of fields with doubled quotes
};

}  // namespace vestige
