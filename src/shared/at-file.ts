/**
 * Calls the file system for one file, which its errors then name: those of reading and writing name none, and those of
 * moving a file name where it came from.
 */
export function atFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) Object.assign(error, { path: file });
    throw error;
  }
}
