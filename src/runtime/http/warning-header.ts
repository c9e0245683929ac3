/** The texts of a `Warning` header; the server uses code 299 for warnings to users. */
export function parseWarnings(header: string | string[]): string[] {
  const text = Array.isArray(header) ? header.join(", ") : header;
  return [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = ""]) =>
    quoted.replace(/\\(.)/g, "$1"),
  );
}
