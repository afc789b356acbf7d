export { describeProblem, toLine } from './describe-problem.js';
export { error, notYet, ok, warning, type Fact, type Finding } from './finding.js';
export { countFindings, formatFinding, formatReport, makeReport, type Report } from './report.js';
export { judgeConfiguration, runCheck, runChecks } from './run-checks.js';
