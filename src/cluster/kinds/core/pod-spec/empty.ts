/** What Go prints of an empty pod spec and of a template with one. */
export const podSpec = { containers: null };
export const template = { metadata: {}, spec: podSpec };
