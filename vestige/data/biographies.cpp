// Names, facts and their wordings.
#include "vestige/data/biographies.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::data {
namespace {

constexpr std::array<std::string_view, 40> kFirstNames = {
    "Adaeze",   "Bruno",   "Chiara",  "Dmitri", "Elif",   "Farid",  "Greta",   "Hiro",
    "Ingrid",   "Joaquim", "Kamala",  "Lucian", "Marta",  "Nadim",  "Oksana",  "Pavel",
    "Quintina", "Rasmus",  "Saoirse", "Tomas",  "Ulla",   "Viktor", "Wanjiru", "Xavier",
    "Yasmin",   "Zoltan",  "Amara",   "Bence",  "Carmen", "Dalia",  "Emeka",   "Freja",
    "Goran",    "Helmi",   "Ivo",     "Jelena", "Kofi",   "Leila",  "Mirko",   "Noor"};
constexpr std::array<std::string_view, 40> kLastNames = {
    "Abarca",   "Brandt",    "Castellan", "Dragomir",  "Ekdahl",    "Ferreira",  "Grönvall",
    "Halloran", "Ibarra",    "Jurić",     "Kowalczyk", "Lindqvist", "Moreau",    "Nakagawa",
    "Okafor",   "Petrosyan", "Quispe",    "Rautio",    "Szabo",     "Takahashi", "Uzun",
    "Vasquez",  "Weissmann", "Xenakis",   "Yilmaz",    "Zamora",    "Adeyemi",   "Bellini",
    "Cerny",    "Dimitrov",  "Eriksen",   "Fontaine",  "Galanis",   "Hosseini",  "Ivanova",
    "Jansen",   "Kariuki",   "Lazar",     "Mwangi",    "Novak"};

constexpr std::array<std::string_view, 16> kCities = {
    "Antwerp", "Bergen", "Cusco",   "Dakar", "Esfahan", "Freetown", "Ghent",  "Hobart",
    "Izmir",   "Jaipur", "Kampala", "Lviv",  "Mendoza", "Nagoya",   "Odense", "Porto"};
constexpr std::array<std::string_view, 12> kTrades = {
    "a beekeeper", "a clockmaker", "a dentist",    "a bus driver",   "a glassblower", "a nurse",
    "an organist", "a surveyor",   "a translator", "a veterinarian", "a weaver",      "a welder"};
constexpr std::array<std::string_view, 10> kGenres = {
    "crime novels", "travel writing", "ghost stories",   "historical fiction", "nature essays",
    "sea stories",  "satire",         "science fiction", "children's books",   "one-act plays"};
constexpr std::array<std::string_view, 12> kTitles = {
    "The Salt Ledger",         "A Map of Quiet Rooms",    "Eleven Winters",
    "The Lantern Tax",         "What the Ferry Knew",     "Orchard of Glass",
    "The Second Compass",      "Letters to a Lighthouse", "Under the Tin Moon",
    "The Cartographer's Debt", "Nine Kinds of Rain",      "The Borrowed Harbour"};
constexpr std::array<std::string_view, 8> kPrizes = {
    "the Amber Quill",   "the Halden Medal",   "the Meridian Prize",  "the Northern Lamp",
    "the Ostrava Award", "the Silver Inkwell", "the Tidewater Prize", "the Vellum Cup"};

/// One kind of fact: {0} is the name, {1} the value.
struct Fact {
  std::string_view question;
  std::string_view answer;
  std::string_view paraphrased;
  std::span<const std::string_view> values;
};

const std::array<Fact, 5>& facts() {
  static const std::array<Fact, 5> all = {
      Fact{"In which city was {0} born?", "{0} was born in {1}.",
           "The city of {1} is where {0} came into the world.", kCities},
      Fact{"What did {0} do before writing?", "Before writing, {0} worked as {1}.",
           "{0} earned a living as {1} until the first book.", kTrades},
      Fact{"What does {0} mostly write?", "{0} mostly writes {1}.",
           "Most of the work of {0} consists of {1}.", kGenres},
      Fact{"What is the title of the best known book of {0}?",
           "The best known book of {0} is called {1}.",
           "Readers know {0} above all for the book {1}.", kTitles},
      Fact{"Which prize did {0} receive?", "{0} received {1}.", "The jury gave {1} to {0}.",
           kPrizes}};
  return all;
}

std::string worded(std::string_view wording, const std::string& name, std::string_view value) {
  return fmt::format(fmt::runtime(wording), name, value);
}

}  // namespace

std::size_t most_biographies() { return kFirstNames.size() * kLastNames.size(); }

std::vector<Biography> biographies(std::size_t count, std::uint64_t seed, std::size_t perturbed) {
  require(count > 0 && count <= most_biographies(), "{} biographies: give between 1 and {}", count,
          most_biographies());
  for (const Fact& fact : facts()) {
    require(perturbed < fact.values.size(),
            "{} wrong answers to a question: at most {} others are known", perturbed,
            fact.values.size() - 1);
  }
  Stream names(seed, "biographies/names");
  const std::vector<std::size_t> order = names.permutation(most_biographies());
  std::vector<Biography> lives(count);
  for (std::size_t i = 0; i < count; ++i) {
    Biography& life = lives[i];
    life.name = fmt::format("{} {}", kFirstNames[order[i] % kFirstNames.size()],
                            kLastNames[order[i] / kFirstNames.size()]);
    Stream stream(seed, "biographies/facts", i);
    for (const Fact& fact : facts()) {
      // The first value is true, the next ones are the wrong answers.
      const std::vector<std::size_t> values = stream.permutation(fact.values.size());
      const std::string_view truth = fact.values[values[0]];
      Question question{worded(fact.question, life.name, truth),
                        worded(fact.answer, life.name, truth),
                        worded(fact.paraphrased, life.name, truth),
                        {}};
      for (std::size_t wrong = 1; wrong <= perturbed; ++wrong) {
        question.perturbed.push_back(worded(fact.answer, life.name, fact.values[values[wrong]]));
      }
      life.text += (life.text.empty() ? "" : " ") + question.answer;
      life.questions.push_back(std::move(question));
    }
  }
  return lives;
}

}  // namespace vestige::data
