import { expect, test } from "vitest";
import { replaceBaseImages } from "./pin-image.ts";

const dockerfile = `# FROM nothing
ARG BUILD_IMAGE=node:24-slim
ARG BASE_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot # small
ARG VERSION=1.0
ARG OPEN
FROM \${BUILD_IMAGE} AS build
RUN echo FROM here
from --platform=linux/amd64 golang:1.25 as tools
FROM build AS again
FROM scratch
FROM $BASE_IMAGE
FROM \${OPEN}
FROM alpine:\${VERSION}
`;

test("finds images in FROM and in the arguments that FROM uses, and nothing else", () => {
  const images: string[] = [];
  const replaced = replaceBaseImages(dockerfile, (image) => `${images.push(image)}`);
  expect(images).toEqual(["node:24-slim", "gcr.io/distroless/nodejs24-debian12:nonroot", "golang:1.25"]);
  expect(replaced).toBe(
    dockerfile
      .replace("node:24-slim", "1")
      .replace("gcr.io/distroless/nodejs24-debian12:nonroot", "2")
      .replace("golang:1.25", "3"),
  );
});

test("leaves line ends alone", () => {
  expect(replaceBaseImages("FROM a:1\r\nRUN x\r\n", () => "b:2")).toBe("FROM b:2\r\nRUN x\r\n");
});
