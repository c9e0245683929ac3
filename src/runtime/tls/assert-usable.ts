import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Certificate } from "./certificate-files.ts";

/**
 * Throws unless a server can use it. Files that are being written are empty or don't belong together, which a server
 * would accept: without a key it would fail all callers, without a CA it would accept clients of every public one.
 */
export function assertUsable({ cert, key, clientCa }: Certificate): void {
  const parsed = parse("certificate", () => new X509Certificate(cert));
  if (!parsed.checkPrivateKey(parse("key", () => createPrivateKey(key))))
    throw new Error("the key belongs to another certificate");
  if (clientCa !== undefined) parse("client CA", () => new X509Certificate(clientCa));
}

function parse<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`the ${what} is empty or not PEM: ${(error as Error).message}`, { cause: error });
  }
}
