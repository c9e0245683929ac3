import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Reply } from "../../http/request-context.ts";
import { type Forwarded, replyOf } from "./forward.ts";

/** The attributes of HTML whose values are addresses. */
const attributes =
  "action|background|cite|classid|codebase|data|formaction|href|icon|longdesc|manifest|poster|profile|src|usemap";
const links = new RegExp(`(\\s(?:${attributes})\\s*=\\s*)(["'])(/(?!/)[^"']*)\\2`, "giu");

/** How much of a tag is held back until its end arrives. */
const longestTag = 65_536;

/**
 * Makes the reply of a page behind a proxy, whose own root is `prefix` for the client: as kube-apiserver does, it puts this before
 * the paths of redirects, and of links in HTML that isn't compressed.
 */
export function replyOfPage({ response }: Forwarded, prefix: string): Reply {
  const reply = replyOf({ response });
  const { "content-length": length, location, ...others } = reply.headers ?? {};
  const moved = typeof location === "string" && /^\/(?!\/)/u.test(location) ? prefix + location : location;
  const headers = { ...others, ...(moved !== undefined && { location: moved }) };
  const isPage = /^text\/html\b/iu.test(response.headers["content-type"] ?? "");
  if (!isPage || response.headers["content-encoding"] !== undefined)
    return { ...reply, headers: { ...headers, ...(length !== undefined && { "content-length": length }) } };
  return { ...reply, headers, stream: (client) => pipeline(response, rewriteLinks(prefix), client) };
}

/** Puts a prefix before the paths of links. Bytes are read as Latin-1, which changes none of those that it does not know. */
export function rewriteLinks(prefix: string): Transform {
  let held = "";
  const rewrite = (text: string): Buffer => {
    const tags = text.replace(/<[a-z][^>]*>/giu, (tag) => tag.replace(links, `$1$2${prefix}$3$2`));
    return Buffer.from(tags, "latin1");
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held += chunk.toString("latin1");
      const start = held.lastIndexOf("<");
      const isOpen = start >= 0 && !held.includes(">", start) && held.length - start < longestTag;
      const ready = isOpen ? held.slice(0, start) : held;
      held = isOpen ? held.slice(start) : "";
      done(null, rewrite(ready));
    },
    flush(done) {
      done(null, rewrite(held));
    },
  });
}
