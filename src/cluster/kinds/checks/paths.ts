import { invalid } from "@tsbuilder/apimachinery/errors";
import type { Problems } from "./problems.ts";

/** A path without `..`. */
export function* withoutBacksteps(field: string, path: string): Problems {
  if (path.split("/").includes("..")) yield invalid(field, path, "must not contain '..'");
}

/** A relative path without `..`. */
export function* descendingPath(field: string, path: string): Problems {
  if (path.startsWith("/")) yield invalid(field, path, "must be a relative path");
  yield* withoutBacksteps(field, path);
}

/** The same for files in a volume; names that start with `..` are reserved for the kubelet. */
export function* unreservedPath(field: string, path: string): Problems {
  yield* descendingPath(field, path);
  if (path.startsWith("..") && !path.startsWith("../")) {
    yield invalid(field, path, "must not start with '..'");
  }
}

/** The mode bits of a file. */
export function* fileMode(field: string, mode: number | undefined): Problems {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    yield invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive");
  }
}
