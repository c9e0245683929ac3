import { createHash } from "node:crypto";
import { encodeSwagger } from "../../codec/index.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import { versionInfo } from "../../contract/version.ts";
import { toSwagger, type V3Document } from "./to-swagger.ts";

interface Made {
  readonly state: string;
  readonly document: Record<string, unknown>;
  readonly json: Buffer;
  /** Made when it is asked for first: few clients are that old. */
  protobuf?: Buffer;
}

/** The one document of OpenAPI v2, made anew when one of those it is made from has changed. */
export class SwaggerDocument {
  #made: Made | undefined;

  /** `state` changes with the documents, which are read only then. */
  async answer(
    request: RequestContext["request"],
    state: string,
    read: () => Promise<readonly V3Document[]>,
  ): Promise<Reply> {
    if (this.#made?.state !== state)
      this.#made = make(state, toSwagger(await read(), versionInfo.gitVersion));
    const made = this.#made;
    // kubectl up to 1.28 asks for nothing else, and an old name of the type has an @ in it.
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
