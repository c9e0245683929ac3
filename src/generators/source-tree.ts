/**
 * The project's files as the generators see them. Paths are relative to the project's root and use forward slashes.
 * Pending changes can be overlaid on the disk, so that a new API and its CRD are planned together.
 */
export interface SourceTree {
  /** The text of a file; undefined if it does not exist. */
  read(path: string): string | undefined;
  /** Tells an empty folder from a missing one, which list the same; true for files, too. */
  has(path: string): boolean;
  /** The paths of all files in a folder, without `node_modules`, `dist`, `vendor` and hidden folders. */
  list(folder: string): readonly string[];
}
