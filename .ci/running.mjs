// Notes which tests run, for .ci/test.mjs: when a suite does not end, the ones that began and did not end are named.
import { appendFileSync } from "node:fs";

export default class {
  onTestModuleStart({ moduleId }) {
    note("+", moduleId);
  }
  onTestCaseReady(test) {
    note("+", nameOf(test));
  }
  onTestCaseResult(test) {
    note("-", nameOf(test));
  }
  onTestModuleEnd({ moduleId }) {
    note("-", moduleId);
  }
}

const nameOf = (test) => `${test.module.moduleId} > ${test.fullName}`;
const note = (sign, name) => appendFileSync(process.env.RUNNING, `${sign}${name.replaceAll("\n", " ")}\n`);
