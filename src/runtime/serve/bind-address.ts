import { TerminalError } from "../errors/terminal-error.ts";

/** The address a server listens on. */
export interface BindAddress {
  /** Undefined for all addresses. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Parses `:8081`, `127.0.0.1:8081` or `[::1]:8081`; undefined for `0` and the empty string, which turn a server off.
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === "" || text === "0") return undefined;
  const match = /^(?:\[(?<six>[^\]]+)\]|(?<host>[^:]*)):(?<port>\d+)$/.exec(text);
  const port = Number(match?.groups?.["port"]);
  if (!match || port > 65_535)
    throw new TerminalError(
      `"${text}" is not an address to listen on: write it like :8081, 127.0.0.1:8081, or 0 for none`,
    );
  return { host: match.groups?.["six"] ?? (match.groups?.["host"] || undefined), port };
}
