export { bodyOf, definitionsOf, functionAt, isOverload, type Placed } from './function-at';
export { type Placement, placeCandidate } from './place';
export { type Reading, readCandidate } from './reply';
export { isStub, referenceOf, signatureOf, stubOf } from './stub';
