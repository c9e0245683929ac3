/** What Go serializes for an empty pod spec, and for a template with one. */
export const podSpec = { containers: null };
export const template = { metadata: {}, spec: podSpec };
