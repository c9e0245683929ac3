import { createHash } from "node:crypto";
import { pauseImage } from "./node-files.ts";

/**
 * Makes the image whose container holds a pod's namespaces, as an archive that container runtimes load. Its program only waits:
 * pulling one from a registry would take a connection and longer than all of it.
 */
export function makePauseImage(): Buffer {
  const layer = writeTar([{ name: "pause", content: waitingProgram(), mode: 0o755 }]);
  const digest = createHash("sha256").update(layer).digest("hex");
  const config = {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: { Entrypoint: ["/pause"] },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
  };
  const manifest = [{ Config: "config.json", RepoTags: [pauseImage], Layers: ["layer.tar"] }];
  return writeTar([
    { name: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) },
    { name: "config.json", content: Buffer.from(JSON.stringify(config)) },
    { name: "layer.tar", content: layer },
  ]);
}

/** Where the program is loaded in memory. */
const base = 0x400000;
const headersSize = 64 + 56;

/** The instructions: system calls that wait for a signal, for ever. */
const instructions: Readonly<Record<string, { readonly machine: number; readonly code: string }>> = {
  // mov eax, 34; syscall; jmp to the first
  x64: { machine: 62, code: "b8220000000f05ebf7" },
  // ppoll(0, 0, 0, 0): mov x0..x3, 0; mov x8, 73; svc 0; b to the first
  arm64: { machine: 183, code: "000080d2010080d2020080d2030080d2280980d2010000d4faffff17" },
};

/** An executable of one segment, in the format ELF. */
function waitingProgram(): Buffer {
  const found = instructions[process.arch];
  if (!found) throw new Error(`nodes run on x64 and arm64, not on ${process.arch}`);
  const code = Buffer.from(found.code, "hex");
  const file = Buffer.alloc(headersSize);
  file.write("7f454c46020101", 0, "hex");
  file.writeUInt16LE(2, 16);
  file.writeUInt16LE(found.machine, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(base + headersSize), 24);
  file.writeBigUInt64LE(64n, 32);
  for (const [offset, value] of [
    [52, 64],
    [54, 56],
    [56, 1],
  ] as const)
    file.writeUInt16LE(value, offset);
  // The only segment: readable, executable.
  file.writeUInt32LE(1, 64);
  file.writeUInt32LE(5, 68);
  for (const [offset, value] of [
    [80, base],
    [88, base],
    [96, headersSize + code.length],
    [104, headersSize + code.length],
    [112, 0x1000],
  ] as const)
    file.writeBigUInt64LE(BigInt(value), offset);
  return Buffer.concat([file, code]);
}

interface TarFile {
  readonly name: string;
  readonly content: Buffer;
  readonly mode?: number;
}

function writeTar(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ name, content, mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    const octal = (value: number, length: number): string => `${value.toString(8).padStart(length, "0")}\0`;
    header.write(name, 0);
    header.write(octal(mode, 7) + octal(0, 7) + octal(0, 7) + octal(content.length, 11) + octal(0, 11), 100);
    header.write("        0", 148);
    header.write("ustar\u000000", 257);
    header.write(
      `${octal(
        header.reduce((sum, byte) => sum + byte, 0),
        6,
      )} `,
      148,
    );
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
