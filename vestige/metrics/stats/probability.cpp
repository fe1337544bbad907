// Boost.Math behind plain functions.
#include "vestige/metrics/stats/probability.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace vestige::metrics {

double normal_probability(double z) { return boost::math::cdf(boost::math::normal(), z); }

double normal_critical(double tail) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
}

double two_sided_t(double t, double degrees_of_freedom) {
  const boost::math::students_t distribution(degrees_of_freedom);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

}  // namespace vestige::metrics
