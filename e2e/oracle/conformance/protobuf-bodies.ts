import { type DecodedObject, decodeProtobuf } from "../../../src/cluster/codec/index.ts";
import { encodeProtobuf } from "../../support/cluster/encode-protobuf.ts";
import type { ReceivedResponse } from "../../../src/cluster/testing/send.ts";

export const protobufType = "application/vnd.kubernetes.protobuf";

/** A JSON text in protobuf, or as it is if it can't be: both servers then refuse the same bytes. */
export async function inProtobuf(text: string): Promise<Buffer | string> {
  try {
    return (await encodeProtobuf(JSON.parse(text) as DecodedObject)) ?? text;
  } catch {
    return text;
  }
}

/** An answer in protobuf with the body that it would have in JSON; any other answer as it is. */
export async function fromProtobuf(answer: ReceivedResponse): Promise<ReceivedResponse> {
  if (answer.headers["content-type"] !== protobufType) return answer;
  const body = await decodeProtobuf(answer.bytes);
  return { ...answer, body, text: JSON.stringify(body) };
}
