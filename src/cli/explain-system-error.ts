import { constants } from "node:os";
import type { ErrorCode } from "../shared/error-codes.ts";
import { subjects, systemCodes, unlistedCode } from "./system-codes.ts";

/** An error of the operating system for programs and people; undefined for any other error, which is a bug. */
export function explainSystemError(
  error: unknown,
): { readonly code: string; readonly message: string; readonly hint: string } | undefined {
  const { code, syscall, path, hostname, address, port } = (error ?? {}) as SystemError;
  if (code === undefined || syscall === undefined) return undefined;
  const own = codeOf(error as SystemError);
  if (syscall === "uv_cwd") {
    return {
      code: "NOT_FOUND" satisfies ErrorCode,
      message: `the current folder does not exist any more (${own})`,
      hint: "change to one that does: cd",
    };
  }
  const listed = Object.hasOwn(systemCodes, own) ? own : unlistedCode;
  const { subject, what, hint } = systemCodes[listed]!;
  const socket = address === undefined || port === undefined ? address : `${address}:${port}`;
  // What was not called by `atFile` may name no path.
  const name = path ?? hostname ?? socket;
  const named = name === undefined ? subjects[subject] : `"${name}"`;
  // Of a program that is started, the call contains its name.
  const [call] = syscall.split(" ");
  return { code: listed, message: `${named} ${what} (${own}, ${call})`, hint };
}

interface SystemError extends NodeJS.ErrnoException {
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** Node has no names for some codes, among them EDQUOT, and says only their number. */
function codeOf({ code = "", errno = 0 }: SystemError): string {
  if (!code.startsWith("Unknown system error")) return code;
  const found = Object.entries(constants.errno).find(([, number]) => number === Math.abs(errno));
  return found?.[0] ?? code;
}
