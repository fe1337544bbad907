// Every method's constructor; language/registry.cpp lists them.
#pragma once

#include "vestige/language/method.h"

namespace vestige::language {

Method identity();
Method retrain();
Method finetune();
Method gradient_ascent();
Method grad_diff();
Method kl();
Method npo();
Method simnpo();
Method rmu();
Method task_vector();
Method refusal();
Method negative_label();

}  // namespace vestige::language
