/** The path of a field below another: `spec` and `replicas` make `spec.replicas`; the object itself has no path. */
export function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
