"""Heun's sampler (Karras et al. 2022, Algorithm 1, no churn) in plain Python on the best denoiser of a normal
distribution with mean 0.3 and deviation 0.5: where paths end that begin at -2, 0 and 2 times the highest
level. The values stand in tests/models/denoiser_test.cpp. Run: python3 heun.py"""


def end(start, steps, mean=0.3, deviation=0.5, highest=80.0, lowest=0.002, rho=7):
    def denoised(x, sigma):
        return (deviation**2 * x + sigma**2 * mean) / (deviation**2 + sigma**2)

    first, last = highest ** (1 / rho), lowest ** (1 / rho)
    levels = [(first + i / (steps - 1) * (last - first)) ** rho for i in range(steps)] + [0]
    x = start * levels[0]
    for now, then in zip(levels, levels[1:]):
        slope = (x - denoised(x, now)) / now
        tried = x + (then - now) * slope
        if then > 0:
            slope = (slope + (tried - denoised(tried, then)) / then) / 2
        x += (then - now) * slope
    return x


print([end(start, 18) for start in (-2.0, 0.0, 2.0)])
