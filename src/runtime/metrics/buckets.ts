/** From 10 ns to 1000 s, tenfold: what controller-runtime gives to queues and webhooks. */
export const tenfoldBuckets: readonly number[] = Array.from({ length: 12 }, (_, power) =>
  Number(`1e${power - 8}`),
);
