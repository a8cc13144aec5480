/** What a comparison of two rates found, in words. */
export const DIFFERENCES = {
  a_faster: "beyond noise",
  b_faster: "beyond noise",
  within_noise: "within noise",
  too_few_repeats: "too few repeats",
  not_comparable: "not comparable",
} as const;
