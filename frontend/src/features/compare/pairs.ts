/** The comparisons of the first run with each other one. */
interface Pairwise<Outcome> {
  outcome: Outcome | null;
  others: readonly Outcome[];
}

/** How the first run compares with the second, the third and so on. */
export const pairsOf = <Outcome>({ outcome, others }: Pairwise<Outcome>): Outcome[] =>
  outcome === null ? [] : [outcome, ...others];
