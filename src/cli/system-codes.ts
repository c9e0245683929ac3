const unwritable = [
  "cannot be read or written",
  "change the permissions, or run the command as a user who has them",
] as const;

/** The codes of the file system that are no bugs: what is with the file that the message names, and what to do. */
export const systemCodes: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EACCES: unwritable,
  EPERM: unwritable,
  EDQUOT: ["does not fit into your quota", "free some space and run the command again"],
  EEXIST: ["exists, and is no folder", "move it away"],
  EFBIG: ["is larger than this process may write", "raise the limit (ulimit -f)"],
  EIO: ["cannot be read or written", "the disk may be damaged, or a network file system is gone"],
  ELOOP: ["is a symbolic link that leads to itself", "delete the link"],
  EMFILE: ["cannot be opened: too many files are open", "raise the limit (ulimit -n)"],
  EXDEV: ["is on another file system than the project", "keep a project on one file system"],
  EROFS: ["is on a read-only file system", "copy the project to a writable one"],
  ENOSPC: ["does not fit on the disk", "free some space and run the command again"],
  EISDIR: ["is a folder, but a file is expected", "move the folder away"],
  ENOTDIR: ["is inside of a file, but a folder is expected", "move the file away"],
  ENAMETOOLONG: ["has a name that the file system does not allow", "use shorter names"],
};
