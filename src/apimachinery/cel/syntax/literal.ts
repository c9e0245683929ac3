import { controlEscapes } from "../../text/index.ts";
import { CelDouble, CelUint, type Value, maxInt, maxUint, toInt } from "../values/value.ts";
import type { Token } from "./token.ts";

/** Returns the value of a literal token, or an error. A minus sign is part of the number. */
export function parseLiteral(token: Token, negative: boolean): { value: Value } | { error: string } {
  const { text } = token;
  switch (token.kind) {
    case "int": {
      const value = negative ? -BigInt(text) : BigInt(text);
      return value > maxInt || value < -maxInt - 1n
        ? { error: "invalid int literal" }
        : { value: toInt(value) };
    }
    case "uint": {
      const value = BigInt(text.slice(0, -1));
      return value > maxUint ? { error: "invalid uint literal" } : { value: new CelUint(value) };
    }
    case "float": {
      const value = Number(text) * (negative ? -1 : 1);
      return Number.isFinite(value) ? { value: new CelDouble(value) } : { error: "invalid double literal" };
    }
    default:
      return parseText(token);
  }
}

function parseText({ kind, text }: Token): { value: Value } | { error: string } {
  const prefix = /^[bBrR]*/.exec(text)![0];
  const quoted = text.slice(prefix.length);
  const size = /^(?:"""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  const content = quoted.slice(size, -size).replaceAll(/\r\n?/g, "\n");
  const raw = /[rR]/.test(prefix);
  if (kind === "bytes") return { value: raw ? encode(content) : unescapeBytes(content) };
  return raw ? { value: content } : unescapeText(content);
}

const escapes =
  /\\(?:([abfnrtv"'\\?`])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2}))/g;

/** In a string, every escape is a character. */
function unescapeText(content: string): { value: Value } | { error: string } {
  let isValid = true;
  const value = content.replaceAll(escapes, (_, char, short, long, hex, octal) => {
    if (char !== undefined) return controlEscapes[char as string] ?? (char as string);
    const code =
      octal === undefined
        ? Number.parseInt((short ?? long ?? hex) as string, 16)
        : Number.parseInt(octal as string, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      isValid = false;
      return "";
    }
    return String.fromCodePoint(code);
  });
  return isValid ? { value } : { error: "invalid unicode code point" };
}

/** In bytes, hexadecimal and octal escapes are bytes; other characters are encoded as UTF-8. */
function unescapeBytes(content: string): Uint8Array {
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const match of content.matchAll(escapes)) {
    parts.push(encode(content.slice(last, match.index)));
    const [, char, short, long, hex, octal] = match;
    if (hex !== undefined) parts.push(Uint8Array.of(Number.parseInt(hex, 16)));
    else if (octal !== undefined) parts.push(Uint8Array.of(Number.parseInt(octal, 8)));
    else if (char !== undefined) parts.push(encode(controlEscapes[char] ?? char));
    else parts.push(encode(String.fromCodePoint(Number.parseInt((short ?? long)!, 16))));
    last = match.index + match[0].length;
  }
  parts.push(encode(content.slice(last)));
  return new Uint8Array(Buffer.concat(parts));
}

function encode(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text));
}
