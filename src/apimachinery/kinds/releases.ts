/** The releases of Kubernetes whose kinds the tables have, the oldest first. */
export const releases = ["1.35", "1.36", "1.37"] as const;

/** A release of Kubernetes, such as `1.36`. */
export type Release = (typeof releases)[number];

/** The release of the TypeScript types, of generated CRDs, and of a cluster by default. */
export const defaultRelease: Release = "1.36";
