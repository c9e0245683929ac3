/** Joins a path and a field name: `spec` and `replicas` become `spec.replicas`. The object's own path is empty. */
export function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
