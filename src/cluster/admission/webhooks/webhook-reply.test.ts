import { expect, test } from "vitest";
import { readReply } from "./webhook-client.ts";

const json = "application/json";

test.each([
  [200, "{}", {}],
  [201, '{"a":1}', { a: 1 }],
  [200, "a: b", { a: "b" }],
  [200, "\uFEFF{}", {}],
  [206, "<html>", "<html>"],
])("a reply with code %i and %j is read", (code, text, expected) => {
  expect(readReply({ code, text, type: json })).toEqual(expected);
});

test.each([
  [200, json, "", "0-length response with status code: 200 and content type: application/json"],
  [204, json, "", "0-length response with status code: 204 and content type: application/json"],
  [200, json, "{", "couldn't get version/kind; json parse error: unexpected end of JSON input"],
  [200, json, "a: [", "yaml: line 1: did not find expected node content"],
  [500, json, "boom", 'an error on the server ("unknown") has prevented the request from succeeding'],
  [500, "text/plain", " boom ", 'an error on the server ("boom") has prevented the request from succeeding'],
  [500, "", "boom", 'an error on the server ("boom") has prevented the request from succeeding'],
  [500, json, '{"kind":"Status","status":"Failure","message":"as a status"}', "as a status"],
  [400, json, "", "the server rejected our request for an unknown reason"],
  [401, json, "", "the server has asked for the client to provide credentials"],
  [403, "text/html", "text", "text"],
  [404, json, "", "the server could not find the requested resource"],
  [409, json, "", "the server reported a conflict"],
  [418, json, "", "the server responded with the status code 418 but did not return more information"],
  [207, json, "{}", "the server responded with the status code 207 but did not return more information"],
  [503, json, "", "the server is currently unable to handle the request"],
])(
  "a reply with code %i of type %j and %j is an error in the words of Go's client",
  (code, type, text, why) => {
    expect(() => readReply({ code, type, text })).toThrow(new Error(why));
  },
);
