export { describeProblem, toLine } from './describe-problem.js';
export { error, notYet, ok, warning, type Fact, type Finding } from './finding.js';
export {
  findAgreedHead,
  findUsable,
  judgeBlockTimes,
  judgeNode,
  judgeQuorum,
  type NodeAnswers,
  type NodeExpectations,
} from './nodes.js';
export { countFindings, formatFinding, formatReport, makeReport, type Report } from './report.js';
export { judgeConfiguration, runCheck, runChecks } from './run-checks.js';
