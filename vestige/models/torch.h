// The part of LibTorch that the lab uses. It is precompiled (cmake/lab.cmake); the whole of
// torch/torch.h takes twice as long to compile and brings torch::nn layers that we do not need.
#pragma once

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn/module.h>
#include <torch/types.h>
