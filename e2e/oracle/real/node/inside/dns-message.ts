/** A resolver's question. */
export interface Question {
  readonly id: number;
  /** In lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  /** The question as it came, for the answer. */
  readonly bytes: Buffer;
}

export const recordTypes = { A: 1, CNAME: 5, PTR: 12, AAAA: 28, SRV: 33 } as const;

/** An answer: an address, a name, or a port of a name. */
export type Answer =
  | { readonly type: "A"; readonly name: string; readonly address: string }
  | { readonly type: "CNAME" | "PTR"; readonly name: string; readonly target: string }
  | { readonly type: "SRV"; readonly name: string; readonly port: number; readonly target: string };

/** Reads a query with one question; undefined for anything else. */
export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < 17 || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = 12;
  while (message[at] !== 0) {
    const length = message[at]!;
    if (length > 63 || at + length + 5 >= message.length) return undefined;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = message.readUInt16BE(at + 1);
  const bytes = message.subarray(12, at + 5);
  return { id: message.readUInt16BE(0), name: labels.join(".").toLowerCase(), type, bytes };
}

/** `answers` is undefined if there is no such name. */
export function writeAnswer(question: Question, answers: readonly Answer[] | undefined): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(question.id, 0);
  // An authoritative answer, with recursion available, as resolvers expect it.
  header.writeUInt16BE(0x8580 | (answers ? 0 : 3), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers?.length ?? 0, 6);
  return Buffer.concat([header, question.bytes, ...(answers ?? []).map(writeRecord)]);
}

const secondsToKeep = 5;

function writeRecord(answer: Answer): Buffer {
  const data = writeData(answer);
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(recordTypes[answer.type], 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(secondsToKeep, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(answer.name), fields, data]);
}

function writeData(answer: Answer): Buffer {
  if (answer.type === "A") return Buffer.from(answer.address.split(".").map(Number));
  if (answer.type !== "SRV") return writeName(answer.target);
  const port = Buffer.alloc(6);
  port.writeUInt16BE(100, 2);
  port.writeUInt16BE(answer.port, 4);
  return Buffer.concat([port, writeName(answer.target)]);
}

function writeName(name: string): Buffer {
  const labels = name
    .split(".")
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
