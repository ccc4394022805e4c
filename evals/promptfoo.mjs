// The fixtures as Promptfoo's tests, and its judgement of them: a second implementation of what evals/README.md says,
// so that the native eval does not vouch for itself.

import { readFileSync } from "node:fs";

const { cases } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
const byId = new Map(cases.map((fixture) => [fixture.id, fixture]));

/** One test for each fixture. */
export function tests() {
  return cases.map(({ id, category, pins }) => ({
    description: `${id}: ${pins}`,
    vars: { case: id },
    metadata: { category },
  }));
}

/** Whether the tool's result is the fixture's verdict, and says what it must say. */
export function judge(output, { vars }) {
  const { expect, exact = {} } = byId.get(vars.case);
  if (output.ok !== (expect === "accept")) {
    return { pass: false, score: 0, reason: `expected ${expect}, and the tool said ${JSON.stringify(output)}` };
  }
  const pass = says(output, exact);
  return { pass, score: Number(pass), reason: `${pass ? "says" : "does not say"} ${JSON.stringify(exact)}` };
}

/** Members that are named must be so, others are free; a list must be so item by item, and no longer. */
function says(result, exact) {
  if (Array.isArray(exact)) {
    return Array.isArray(result) && result.length === exact.length && exact.every((item, at) => says(result[at], item));
  }
  if (!isObject(exact)) {
    return result === exact;
  }
  return (
    isObject(result) &&
    Object.entries(exact).every(([name, member]) => Object.hasOwn(result, name) && says(result[name], member))
  );
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
