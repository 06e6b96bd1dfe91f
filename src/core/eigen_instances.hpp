#pragma once

// Eigen's decompositions of the two dense matrix types, compiled once in eigen_instances.cpp: each
// costs seconds in every file that would compile its own.
#include <Eigen/Dense>

namespace Eigen {

using RowMajorXd = Matrix<double, Dynamic, Dynamic, RowMajor>;

extern template class BDCSVD<MatrixXd>;
extern template class JacobiSVD<MatrixXd>;
extern template class SelfAdjointEigenSolver<MatrixXd>;
extern template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
extern template class HouseholderQR<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class PartialPivLU<MatrixXd>;
extern template class PartialPivLU<RowMajorXd>;

}  // namespace Eigen
