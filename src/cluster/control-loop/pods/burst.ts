/**
 * How many pods a controller makes before it looks again at what it was asked for: a number with some zeros too
 * many must not keep it from seeing the correction.
 */
export const burst = 100;
