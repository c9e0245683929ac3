/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { createHash } from "node:crypto";

/** Encodes the content of a Secret. */
export function encode(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
}

/** Decodes the content of a Secret. */
export function decode(data: Record<string, string> = {}): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

/** Tells contents apart. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
