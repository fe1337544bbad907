// requests.csv: what is read, and every mistake with its line.
#include "vestige/evidence/requests.h"

#include <gtest/gtest.h>

#include "vestige/base/error.h"

namespace vestige::evidence {
namespace {

std::string requests_refusal(const std::string& text, const Evidence& evidence = {}) {
  try {
    parse_requests(text, evidence, 10);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RequestsFile, RowsByPlace) {
  const std::vector<ErasureRequest> requests = parse_requests(
      "row,request,date\r\n7,r1,2026-01-02\n0,\"r, \"\"2\"\"\",x\n3,r1,\n\n3,r1,\n", {}, 10);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].name, "r1");
  EXPECT_EQ(requests[0].rows, (std::vector<std::size_t>{3, 7}));
  EXPECT_EQ(requests[0].date, "2026-01-02");
  EXPECT_EQ(requests[1].name, "r, \"2\"");
  EXPECT_EQ(requests[1].rows, std::vector<std::size_t>{0});
}

TEST(RequestsFile, RowsByIdAndBySubject) {
  Evidence evidence;
  evidence.ids["forget"] = {"a", "b", "c"};
  evidence.subjects["forget"] = {"ann", "bob", "ann"};
  EXPECT_EQ(parse_requests("request,row\nr,c\nr,a\n", evidence, 3).at(0).rows,
            (std::vector<std::size_t>{0, 2}));
  const ErasureRequest request = parse_requests("subject,request\nann,r\n", evidence, 3).at(0);
  EXPECT_EQ(request.rows, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(request.subject, "ann");
  EXPECT_NE(
      requests_refusal("row,request\nd,r\n", evidence).find("line 2: no forget example has the id"),
      std::string::npos);
  EXPECT_NE(requests_refusal("subject,request\ncarl,r\n", evidence).find("'carl'"),
            std::string::npos);
}

TEST(RequestsFile, MistakesAreNamed) {
  const auto says = [](const std::string& text, const std::string& part) {
    const std::string sentence = requests_refusal(text);
    EXPECT_TRUE(sentence.starts_with("requests.csv")) << sentence;
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  says("row,request\n10,r\n", "line 2: row 10 is outside forget, which has rows 0 to 9");
  says("row,request\n-1,r\n", "'-1' is not a row number");
  says("row,request\n1.5,r\n", "'1.5' is not a row number");
  says("row,request\n", "names no rows");
  says("", "names no rows");
  says("row,request\n1,\n", "line 2: the request has no name");
  says("row,request\n1,r,x\n", "line 2 has 3 fields");
  says("row,requst\n1,r\n", "did you mean 'request'");
  says("request,date\nr,x\n", "row,request or subject,request");
  says("row,row,request\n1,1,r\n", "is given twice");
  says("row,request\n1,\"r\n", "line 2: a quote is not closed");
  says("subject,request\nann,r\n", "the forget examples have none");
}

}  // namespace
}  // namespace vestige::evidence
