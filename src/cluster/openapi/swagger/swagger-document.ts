import { createHash } from "node:crypto";
import { encodeSwagger } from "../../codec/index.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import { versionInfo } from "../../contract/version.ts";
import { toSwagger, type V3Document } from "./to-swagger.ts";

interface Made {
  readonly state: string;
  readonly document: Record<string, unknown>;
  readonly json: Buffer;
  /** Encoded on first request: few clients are that old. */
  protobuf?: Buffer;
}

/** The OpenAPI v2 document, which is made again when one of its inputs has changed. */
export class SwaggerDocument {
  #made: Made | undefined;

  /** Reads the documents only if `state` has changed. */
  async answer(
    request: RequestContext["request"],
    state: string,
    read: () => Promise<readonly V3Document[]>,
  ): Promise<Reply> {
    if (this.#made?.state !== state)
      this.#made = make(state, toSwagger(await read(), `${versionInfo.major}.${versionInfo.minor}`));
    const made = this.#made;
    // kubectl up to 1.28 accepts nothing else, and a legacy name of the media type contains an @.
    const wantsProtobuf = /proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/u.test(request.headers.accept ?? "");
    const body = wantsProtobuf ? (made.protobuf ??= encodeSwagger(made.document)) : made.json;
    const etag = `"${createHash("sha512").update(state).digest("hex").toUpperCase()}"`;
    const headers = { ETag: etag, Vary: "Accept" };
    if (request.headers["if-none-match"] === etag) return { code: 304, headers };
    return { code: 200, contentType: wantsProtobuf ? protobuf : "application/json", headers, body };
  }
}

const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

function make(state: string, document: Record<string, unknown>): Made {
  return { state, document, json: Buffer.from(JSON.stringify(document)) };
}
