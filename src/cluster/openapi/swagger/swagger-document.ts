import { createHash } from "node:crypto";
import { encodeSwagger, type Swagger } from "../../codec/index.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import type { Pause, TimeSlices } from "../../http/time-slices.ts";
import { versionInfo } from "../../contract/version.ts";
import { joinSwagger, type SwaggerPart, toSwagger, type V3Document } from "./to-swagger.ts";

interface Made {
  readonly document: Swagger;
  readonly json: Buffer;
  /** Encoded on first request: few clients are that old. */
  protobuf?: Promise<Buffer>;
}

/** What documents were converted to, by their bytes: a changed CRD changes one of many. */
const parts = new WeakMap<Buffer, SwaggerPart>();

interface Options {
  /** Names the documents that `read` returns. */
  readonly state: string;
  readonly read: () => AsyncIterable<Buffer>;
  readonly slices: TimeSlices;
}

/** The OpenAPI v2 document, which is made again when one of its inputs has changed. Others get their turn meanwhile. */
export class SwaggerDocument {
  readonly #options: Options;
  readonly #etag: string;
  /** Made when it is first sent. */
  #made: Promise<Made> | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#etag = `"${createHash("sha512").update(options.state).digest("hex").toUpperCase()}"`;
  }

  isOf(state: string): boolean {
    return this.#options.state === state;
  }

  async answer(request: RequestContext["request"]): Promise<Reply> {
    const headers = { ETag: this.#etag, Vary: "Accept" };
    if (request.headers["if-none-match"] === this.#etag) return { code: 304, headers };
    const { read, slices } = this.#options;
    const made = await (this.#made ??= make(read(), slices.begin()));
    // kubectl up to 1.28 accepts nothing else, and a legacy name of the media type contains an @.
    const wantsProtobuf = /proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/u.test(request.headers.accept ?? "");
    const body = wantsProtobuf
      ? await (made.protobuf ??= encodeSwagger(made.document, slices.begin()))
      : made.json;
    return { code: 200, contentType: wantsProtobuf ? protobuf : "application/json", headers, body };
  }
}

const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

async function make(documents: AsyncIterable<Buffer>, pause: Pause): Promise<Made> {
  const all: SwaggerPart[] = [];
  for await (const bytes of documents) {
    const part = parts.get(bytes) ?? toSwagger(JSON.parse(bytes.toString()) as V3Document);
    parts.set(bytes, part);
    all.push(part);
    await pause();
  }
  const document = joinSwagger(all, `${versionInfo.major}.${versionInfo.minor}`);
  return { document, json: Buffer.from(JSON.stringify(document)) };
}
