import { TsbuilderError } from "../shared/errors.ts";

/** Types within types by the thousand, as a program may write them, are more than the stack has room for. */
export function refuseTooDeep<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError && error.message.includes("call stack"))) throw error;
    throw new TsbuilderError(`${what} nests its types too deeply`, {
      code: "INVALID_SOURCE",
      hint: "use fewer levels, or JSONValue from @tsbuilder/runtime for what has no end",
      cause: error,
    });
  }
}
