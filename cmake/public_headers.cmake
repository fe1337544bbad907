# The headers that other projects may include: what the documentation's examples use, and what reads,
# writes and reports. They and the headers that they include are installed, nothing else; a test
# compiles each of them alone.
set(declared_headers
  vestige/audit/audit.h
  vestige/audit/conformance.h
  vestige/base/error.h
  vestige/base/json.h
  vestige/base/matrix.h
  vestige/base/seed.h
  vestige/evidence/reader.h
  vestige/metrics/closeness/closeness.h
  vestige/metrics/conformal/conformal.h
  vestige/metrics/conformal/miacr.h
  vestige/metrics/epsilon/epsilon.h
  vestige/metrics/epsilon/epsilon_score.h
  vestige/metrics/generation/frechet.h
  vestige/metrics/inputs/accuracy.h
  vestige/metrics/kernel_test/relative_test.h
  vestige/metrics/kernels/rbf_kernel.h
  vestige/metrics/klom/klom.h
  vestige/metrics/learn/entropy_attack.h
  vestige/metrics/learn/simple_mia.h
  vestige/metrics/learn/svc_membership.h
  vestige/metrics/lm/lm_attacks.h
  vestige/metrics/lm/lm_scores.h
  vestige/metrics/miau/miau.h
  vestige/metrics/one_run/one_run.h
  vestige/metrics/representation/representation.h
  vestige/metrics/returns/returns.h
  vestige/metrics/scores/emia.h
  vestige/metrics/scores/iam.h
  vestige/metrics/scores/lira.h
  vestige/metrics/scores/rmia.h
  vestige/metrics/sde/mmd.h
  vestige/metrics/sde/sde.h
  vestige/metrics/sde/wasserstein.h
  vestige/metrics/smi/smi.h
  vestige/metrics/stats/attack_result.h
  vestige/metrics/stats/contrast.h
  vestige/metrics/stats/roc.h
  vestige/metrics/stats/statistics.h
  vestige/metrics/stats/t_tests.h
  vestige/metrics/ulira/ulira.h
  vestige/metrics/utility/utility.h
  vestige/metrics/zrf/zrf.h
  vestige/report/html.h
  vestige/report/audit_run.h
  vestige/report/read_results.h
  vestige/report/results_json.h
  vestige/report/samples_csv.h
  vestige/report/terminal.h
)

# Sets public_headers: the declared ones and what they include, as paths below the source folder.
set(public_headers)
set(waiting ${declared_headers})
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST public_headers)
    continue()
  endif()
  list(APPEND public_headers ${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"vestige/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    list(APPEND waiting ${included})
  endforeach()
endwhile()
list(SORT public_headers)
