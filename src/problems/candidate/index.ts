export { definitionsOf, functionAt, isOverload } from './function-at';
export { placeCandidate } from './place';
export { readCandidate } from './reply';
export { isStub, referenceOf, signatureOf, stubOf } from './stub';
