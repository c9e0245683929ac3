/**
 * The project's files as the generators see them. Paths are relative to the project's root and use forward
 * slashes. Pending changes can be laid over the disk, so that a new API and its CRD are one plan.
 */
export interface SourceTree {
  /** The text of a file; undefined if there is none. */
  read(path: string): string | undefined;
  /** The paths of all files below a folder; `node_modules`, `dist`, `vendor` and dot folders are left out. */
  list(folder: string): readonly string[];
}
