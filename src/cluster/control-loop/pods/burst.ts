/**
 * The number of pods that a controller creates before it reads the spec again: a replica count with too many zeros must
 * not keep it from seeing the correction.
 */
export const burst = 100;
